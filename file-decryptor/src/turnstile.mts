/** Lets only some work go on at a time; the rest waits for its turn. */
export class Turnstile {
	#free: number;

	readonly #waiting: (() => void)[] = [];

	constructor(limit: number) {
		this.#free = limit;
	}

	async enter(): Promise<void> {
		if (this.#free > 0) this.#free -= 1;
		else await new Promise<void>((resolve) => this.#waiting.push(resolve));
	}

	leave(): void {
		const next = this.#waiting.shift();
		if (next) next();
		else this.#free += 1;
	}
}
