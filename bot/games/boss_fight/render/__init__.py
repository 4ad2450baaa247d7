"""Boss fights as players read them."""
