/** The ports of the demo: the usual one of each program, unless it is taken. */
import { freePort, isFree } from '../n8n/ports.mts';

interface Wanted {
	option: string;
	/** What the user has entered. */
	given: string | undefined;
	usual: number;
	/** Who listens there. */
	what: string;
}

/**
 * A port that was entered is used or refused. Without one, a free one takes the place of the usual
 * one.
 *
 * @throws {Error} that names the option
 */
export async function choosePort({ option, given, usual, what }: Wanted): Promise<number> {
	if (given === undefined) {
		if (await isFree(usual)) return usual;
		const port = await freePort();
		console.log(
			`Port ${usual} is taken, so ${what} listens on ${port}. ${option} chooses another.`,
		);
		return port;
	}
	const port = Number(given);
	if (!/^\d+$/.test(given) || port < 1 || port > 65_535) {
		throw new Error(`${option} must be a number from 1 to 65535.`);
	}
	if (await isFree(port)) return port;
	throw new Error(`Port ${port} is taken by another program. Choose another one with ${option}.`);
}
