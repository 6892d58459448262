/** Help of the option `--yes` of every deletion. */
export const yes = 'do not ask for the name once more';
