/** Most rows that one prune removes; the rest stays for the next. Keeps the statement short. */
export const pruneRowsMax = 5000;
