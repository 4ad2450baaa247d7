"""Boss fights: a party's decks of tokens against one boss, exchange by exchange (rules page "Boss against decks")."""
