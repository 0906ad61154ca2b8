"""Commands that change what the store keeps."""
