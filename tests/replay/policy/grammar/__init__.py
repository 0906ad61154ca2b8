"""Commands made of what the manuals say of each program's options, written without the policy's own tables."""
