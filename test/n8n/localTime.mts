/** The zone that n8n has if nobody names one. */
const timeZone = 'America/New_York';

const format = new Intl.DateTimeFormat('en-US', {
	timeZone,
	hourCycle: 'h23',
	weekday: 'short',
	day: 'numeric',
	month: 'short',
	hour: '2-digit',
	minute: '2-digit',
});

/**
 * A time as reports and notices write it, such as "Fri 4 Dec, 05:05". It is not computed by luxon,
 * which the workflows use.
 */
export function localTime(time: number | string): string {
	const parts = format.formatToParts(new Date(time)).map(({ type, value }) => [type, value]);
	const { weekday, day, month, hour, minute } = Object.fromEntries(parts) as Record<string, string>;
	return `${weekday} ${day} ${month}, ${hour}:${minute}`;
}
