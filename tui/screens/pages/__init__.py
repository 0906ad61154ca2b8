"""What the detail of a session shows: functions from rows to blocks, without a widget."""
