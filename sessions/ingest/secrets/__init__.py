"""What secrets look like, and finding them."""
