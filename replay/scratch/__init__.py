"""What a step needs of files that its session wrote, rebuilt; and running recorded code in a folder of its own."""
