"""Speed, memory and learning of uneven, side by side with what a user would pick instead."""
