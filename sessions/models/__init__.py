"""The records the product speaks of, validated at the door."""
