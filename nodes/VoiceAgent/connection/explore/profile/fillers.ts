import { randomInt } from 'node:crypto';

/** Letters of scripts in which there are capital and small ones. */
const CASED: ReadonlyArray<readonly [script: RegExp, letters: string]> = [
	[/\p{Script=Greek}/u, 'αβγδεζηθικλμνξοπρτυφχψω'],
	[/\p{Script=Cyrillic}/u, 'бвгджзиклмнопрстуфхцчшэюя'],
];
/** Letters of scripts without case. */
const UNCASED: ReadonlyArray<readonly [script: RegExp, letters: string]> = [
	[/\p{Script=Han}/u, '安本成大東高国海花華家金京林明木南日山上石水田天文西小新中'],
	[/\p{Script=Hiragana}/u, 'あいうえおかきくけこさしすせそたちつてと'],
	[/\p{Script=Katakana}/u, 'アイウエオカキクケコサシスセソタチツテト'],
	[/\p{Script=Hangul}/u, '가나다라마바사아자차카타파하'],
	[/\p{Script=Hebrew}/u, 'אבגדהוזחטיכלמנסעפצקרשת'],
	[/\p{Script=Arabic}/u, 'ابتثجحخدذرزسشصضطظعغفقكلمنهوي'],
	[/\p{Script=Devanagari}/u, 'कखगघचछजझटठडढतथदधनपफबभमयरलवशसह'],
	[/\p{Script=Thai}/u, 'กขคงจชซดตถทนบปผพมยรลวสหอ'],
];
const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const ACCENTED = 'àâäçèéêëìíîïñòóôöùúûü';

function one(letters: string): string {
	const all = [...letters];
	return all[randomInt(all.length)] ?? 'x';
}

/** A letter of the same script and case. Of a script that is not known here, a Latin one. */
function likeLetter(letter: string): string {
	const uncased = UNCASED.find(([script]) => script.test(letter));
	if (uncased) return one(uncased[1]);
	const isAscii = /[a-z]/i.test(letter);
	const [, letters] = CASED.find(([script]) => script.test(letter)) ?? ['', LATIN];
	const isAccented = !isAscii && /\p{Script=Latin}/u.test(letter);
	const other = one(isAccented ? ACCENTED : letters);
	return letter !== letter.toLowerCase() ? other.toUpperCase() : other;
}

/** How often another filler is tried, until one is good. */
const TRIES = 100;

/**
 * Replaces texts by others that have the same length and kinds of characters. The same text always
 * becomes the same other text, and two texts become two.
 */
export class Fillers {
	private readonly known = new Map<string, string>();
	private readonly used = new Set<string>();

	/**
	 * @param make another filler for a text
	 * @param fits whether a filler means as much as the text
	 */
	constructor(
		private readonly make: (text: string) => string,
		private readonly fits: (filler: string, text: string) => boolean = () => true,
	) {}

	of(text: string): string {
		const known = this.known.get(text);
		if (known !== undefined) return known;
		const isOther = (filler: string) => filler !== text && this.fits(filler, text);
		// There are only a few short fillers: then two texts may become the same one.
		const filler =
			this.tried(text, (one) => isOther(one) && !this.used.has(one)) ??
			this.tried(text, isOther) ??
			this.make(text);
		this.set(text, filler);
		return filler;
	}

	/** What a text becomes from now on. */
	set(text: string, filler: string): void {
		this.known.set(text, filler);
		this.used.add(filler);
	}

	has(text: string): boolean {
		return this.known.has(text);
	}

	private tried(text: string, isGood: (filler: string) => boolean): string | undefined {
		for (let tries = 0; tries < TRIES; tries++) {
			const filler = this.make(text);
			if (isGood(filler)) return filler;
		}
		return undefined;
	}
}

/** A word of other letters. */
export function wordFiller(word: string): string {
	return [...word].map(likeLetter).join('');
}

/** Other digits. The first one is zero only if it was. */
export function digitFiller(digits: string): string {
	return digits.replace(/\d/g, (digit, at: number) => {
		if (at === 0 && digits.length > 1) return digit === '0' ? '0' : String(randomInt(1, 10));
		return String(randomInt(10));
	});
}

/** Other hexadecimal digits, in lower case. */
export function hexFiller(hex: string): string {
	return hex.replace(/[\da-f]/g, () => randomInt(16).toString(16));
}
