/** A name from outside, safe for a terminal: control characters are spelled out. */
export function printable(name: string): string {
	return name.replace(
		/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}

/** A size in the units of the International System: 1 MB is 1,000,000 bytes. */
export function formatBytes(bytes: number): string {
	if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
	let value = bytes;
	let unit = 'bytes';
	for (const next of ['kB', 'MB', 'GB', 'TB']) {
		if (value < 999.95) break;
		value /= 1000;
		unit = next;
	}
	return `${value.toFixed(1)} ${unit}`;
}

/** `1 file`, `2 files`. */
export function count(amount: number, noun: string): string {
	return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
