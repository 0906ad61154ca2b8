"""What all records share: frozen, and closed to unknown fields."""

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """A record that cannot change and refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")
