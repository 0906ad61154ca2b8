"""One module per table: how its rows are made from models, and models from its rows."""
