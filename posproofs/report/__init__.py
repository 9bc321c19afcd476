"""What people and programs read: text and JSON made from records, never from a second computation."""
