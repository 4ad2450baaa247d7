"""Pages, forms and buttons: what players press, whatever the rule system."""
