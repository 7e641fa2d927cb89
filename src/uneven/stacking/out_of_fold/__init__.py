"""What is combined: scores of members for rows that they have not learnt from."""
