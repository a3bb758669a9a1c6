//! The loops of tokenloom that touch every byte.
