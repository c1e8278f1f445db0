/** Beyond what any file needs on a machine that is busy with ten other things: what takes this long hangs. */
export const longestFileMs = 600_000

/** A process whose file neither ends nor is given up after this long does not answer any more. */
export const longestSilenceMs = longestFileMs + 60_000

/** How long a file may go on closing what it opened. */
export const patienceMs = 10_000
