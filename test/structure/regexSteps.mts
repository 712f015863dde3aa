/**
 * How many steps a regular expression takes for a text. They are counted for a backtracking engine,
 * such as that of V8.
 */
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/** Goes on with the rest of the pattern at a position. */
type Then = (position: number) => boolean;
type Matcher = (text: string, position: number, then: Then) => boolean;

/** More than any linear expression needs for the texts of a test. */
const MAX_STEPS = 300_000;

export class CountedRegex {
	readonly #flags: string;
	readonly #matcher: Matcher;
	readonly #isAnchored: boolean;
	/** Patterns of one character each. */
	readonly #characters = new Map<string, RegExp>();
	readonly #words: string[] = [];
	#steps = 0;

	constructor({ source, flags }: RegExp) {
		const isUnicode = flags.includes('u');
		const pattern = new RegExpParser().parsePattern(source, 0, source.length, isUnicode);
		this.#flags = flags.replace(/[gy]/g, '');
		this.#matcher = this.#oneOf(pattern.alternatives);
		this.#isAnchored =
			!flags.includes('m') &&
			pattern.alternatives.every(
				({ elements: [first] }) => first?.type === 'Assertion' && first.kind === 'start',
			);
		visitRegExpAST(pattern, {
			onAlternativeEnter: ({ elements }) => void this.#words.push(wordIn(elements)),
			onCharacterEnter: ({ value }) => void this.#words.push(String.fromCodePoint(value)),
		});
	}

	/** Steps to search a text; `Infinity` if there are far too many. */
	steps(text: string): number {
		this.#steps = 0;
		const last = this.#isAnchored ? 0 : text.length;
		for (let start = 0; start <= last; start++) {
			if (this.#matcher(text, start, () => true)) break;
			if (this.#steps > MAX_STEPS) return Infinity;
		}
		return this.#steps;
	}

	/** Of these characters, one of each kind that the pattern can tell apart, and the words in it. */
	pumps(alphabet: readonly string[]): string[] {
		const kinds = new Map<string, string>();
		const literals = this.#words.flatMap((word) => [...word]);
		for (const one of [...alphabet, ...literals]) {
			const kind = [...this.#characters.values()]
				.map((pattern) => Number(pattern.test(one)))
				.join('');
			if (!kinds.has(kind)) kinds.set(kind, one);
		}
		return [...new Set([...kinds.values(), ...this.#words.filter((word) => word.length > 1)])];
	}

	#step(): boolean {
		this.#steps += 1;
		return this.#steps <= MAX_STEPS;
	}

	#oneOf(alternatives: readonly AST.Alternative[]): Matcher {
		const all = alternatives.map(({ elements }) => this.#inARow(elements));
		return (text, position, then) => all.some((one) => one(text, position, then));
	}

	#inARow(elements: readonly AST.Element[], isBackwards = false): Matcher {
		const all = elements.map((element) => this.#element(element));
		if (isBackwards) all.reverse();
		const from = (index: number, text: string, position: number, then: Then): boolean => {
			const one = all[index];
			return one
				? one(text, position, (next) => from(index + 1, text, next, then))
				: then(position);
		};
		return (text, position, then) => from(0, text, position, then);
	}

	#element(element: AST.Element): Matcher {
		switch (element.type) {
			case 'Character':
			case 'CharacterSet':
			case 'CharacterClass':
				return this.#character(element.raw);
			case 'Group':
			case 'CapturingGroup':
				return this.#oneOf(element.alternatives);
			case 'Quantifier':
				return this.#repeated(element);
			case 'Assertion':
				return this.#assertion(element);
			default:
				throw new Error(`The count does not know ${element.type} yet: ${element.raw}`);
		}
	}

	#character(raw: string): Matcher {
		const pattern = new RegExp(`^(?:${raw})$`, `${this.#flags.replace('m', '')}`);
		this.#characters.set(raw, pattern);
		return (text, position, then) => {
			const one = text.charAt(position);
			return this.#step() && one !== '' && pattern.test(one) && then(position + 1);
		};
	}

	#repeated({ element, min, max, greedy }: AST.Quantifier): Matcher {
		const one = this.#element(element as AST.Element);
		const from = (count: number, text: string, position: number, then: Then): boolean => {
			const more = () =>
				count < max &&
				one(
					text,
					position,
					(next) => (next > position || count < min) && from(count + 1, text, next, then),
				);
			if (!this.#step()) return false;
			if (count < min) return more();
			return greedy ? more() || then(position) : then(position) || more();
		};
		return (text, position, then) => from(0, text, position, then);
	}

	#assertion(assertion: AST.Assertion): Matcher {
		if (assertion.kind === 'lookahead' || assertion.kind === 'lookbehind')
			return this.#look(assertion);
		const pattern = new RegExp(assertion.raw, `${this.#flags}y`);
		return (text, position, then) => {
			pattern.lastIndex = position;
			return this.#step() && pattern.test(text) && then(position);
		};
	}

	#look({ kind, negate, alternatives }: AST.LookaroundAssertion): Matcher {
		const inner = this.#oneOf(alternatives);
		return (text, position, then) => {
			// What is looked for behind is of a few characters in all of ours.
			const starts =
				kind === 'lookahead' ? [position] : Array.from({ length: 5 }, (_, back) => position - back);
			const isFound = starts
				.filter((start) => start >= 0)
				.some((start) => inner(text, start, (end) => kind === 'lookahead' || end === position));
			return isFound !== negate && then(position);
		};
	}
}

/** The characters at the beginning of an alternative. */
function wordIn(elements: readonly AST.Element[]): string {
	const end = elements.findIndex(({ type }) => type !== 'Character');
	const characters = elements.slice(0, end === -1 ? undefined : end) as AST.Character[];
	return characters.map(({ value }) => String.fromCodePoint(value)).join('');
}
