"""Boss fights: a party with decks of tokens against one boss (rules page "Boss against decks")."""
