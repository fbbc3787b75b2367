"""What shows the steps taken: rows, list, replay."""
