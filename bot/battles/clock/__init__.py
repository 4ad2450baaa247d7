"""How long turns last: clocks of battles, how they are set and kept, and what players read of them."""
