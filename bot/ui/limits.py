"""Discord's limits."""

LAYOUT_TEXT = 4000
"""UTF-16 units of all text in one message (Components V2)."""

MAX_ENTRY = 4000
"""Characters of a text option of a command, or of a modal's text field."""

MAX_INTEGER = (1 << 53) - 1
"""The largest integer option of a command."""

MAX_CHOICES = 25
"""Options of a select menu, or suggestions of an autocompletion."""

MAX_CHOICE = 100
"""UTF-16 units of an option of a select menu or of a suggestion: its label, and its value."""

MAX_TITLE = 45
"""UTF-16 units of a modal's title."""

MAX_BUTTONS = 5
"""Buttons in a row."""

MAX_BUTTON_LINK = 512
"""Characters of a link button's address."""

MAX_LABEL = 80
"""UTF-16 units of a button's label."""

MAX_ALT = 1024
"""UTF-16 units of a picture's description."""
