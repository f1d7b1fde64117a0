"""How everything is drawn: themes, signs, style sheets, and what becomes of them in a terminal that can do less."""
