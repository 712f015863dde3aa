/** What the table of compatibility says of a row that does not hold. */
export const FAILS = '**fails**';
