"""How a case is measured: the text, the processes, what is read in them, and what is made of the numbers."""
