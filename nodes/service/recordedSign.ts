import { type Field, searchFields } from '../data/fields';
import { plainName } from '../data/json';

/** What a payload says about whether its call was recorded. */
export interface RecordedSign {
	recorded: boolean;
	/** The field that says it, with dots. */
	field: string;
}

/**
 * What the value of a field with such a name says.
 *
 * - `statement`: yes or no.
 * - `presence`: yes. A no may mean "not yet".
 * - `request`: whether the call was to be recorded. A no is one. A yes is one if the two talked: a
 *   call that nobody answers has no recording.
 * - `status`: the state of the recording, in a word.
 * - `place`: where the recording is, or how it is called, if that is filled.
 */
type Kind = 'statement' | 'presence' | 'request' | 'status' | 'place';

/**
 * What services call these fields, without separators and capitals: Twilio, Amazon Connect, Vonage,
 * Plivo, Telnyx, Aircall, Dialpad, Zoom Phone, Retell, Vapi and Bland. The specification shows only
 * `recordCall`, in the answer to CallStart. A field of an object that is called `recording` counts
 * with that name before it: `Recording: { Status }` at Amazon Connect.
 */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
	['recorded', 'statement'],
	['isrecorded', 'statement'],
	['wasrecorded', 'statement'],
	['callrecorded', 'statement'],
	['iscallrecorded', 'statement'],
	['callwasrecorded', 'statement'],
	['hasrecording', 'presence'],
	['hascallrecording', 'presence'],
	['recordingavailable', 'presence'],
	['isrecordingavailable', 'presence'],
	['recordingready', 'presence'],
	['isrecordingready', 'presence'],
	['recordingexists', 'presence'],
	['recordcall', 'request'],
	['callrecording', 'request'],
	['recordingenabled', 'request'],
	['isrecordingenabled', 'request'],
	['callrecordingenabled', 'request'],
	['recordingrequested', 'request'],
	['recordingstatus', 'status'],
	['recordingstate', 'status'],
	['callrecordingstatus', 'status'],
	['recordingurl', 'place'],
	['recordingurls', 'place'],
	['callrecordingurl', 'place'],
	['recordurl', 'place'],
	['recordinguri', 'place'],
	['recordinglink', 'place'],
	['recordinglocation', 'place'],
	['recordingpath', 'place'],
	['recordingfile', 'place'],
	['recordingid', 'place'],
	['recordingsid', 'place'],
	['recordinguuid', 'place'],
]);

const YES = ['true', 'yes', 'y', '1', 'on'];
const NO = ['false', 'no', 'n', '0', 'off'];

/** Of Twilio, Amazon Connect and Zoom Phone, and their usual synonyms. */
const STATUS_YES = [
	'available',
	'complete',
	'completed',
	'done',
	'inprogress',
	'paused',
	'pending',
	'processed',
	'processing',
	'queued',
	'ready',
	'recorded',
	'saved',
	'stopped',
	'stored',
	'uploaded',
];
const STATUS_NO = ['absent', 'disabled', 'none', 'nonrecorded', 'norecording', 'notrecorded'];

/** How long the call took: a number above 0. */
const DURATIONS = [
	'billsec',
	'callduration',
	'calldurationinseconds',
	'calldurationseconds',
	'duration',
	'durationinseconds',
	'durationms',
	'durationsec',
	'durationseconds',
	'talktime',
];
const ANSWERED = ['answered', 'isanswered', 'wasanswered', 'connected'];
const CALL_STATUSES = ['status', 'callstatus', 'state', 'callstate'];
/** Vonage and Twilio: the call was answered, and has ended. */
const TALKED = ['answered', 'completed'];

/**
 * What a payload whose shape the service does not show says about whether its call was recorded:
 * fields with usual names, in any spelling and at any depth.
 *
 * The outermost fields count. An address is believed only if no field says it in words, because a
 * service may put one into every payload.
 *
 * @returns `undefined` if nothing says it clearly, or if two fields contradict each other
 */
export function recordedSign(payload: unknown): RecordedSign | undefined {
	const fields = outside(searchFields(payload, (name, around) => !!kindOf(name, around)).hits);
	const signs = (isPlace: boolean) =>
		fields
			.filter(({ name, around }) => (kindOf(name, around) === 'place') === isPlace)
			.map((field) => ({ depth: field.depth, field: field.path, recorded: said(field, payload) }))
			.filter((sign) => sign.recorded !== undefined);
	const inWords = signs(false);
	const found = inWords.length > 0 ? inWords : signs(true);
	const [first] = found;
	const outermost = found.filter(({ depth }) => depth === first?.depth);
	if (first?.recorded === undefined) return undefined;
	const isClear = outermost.every(({ recorded }) => recorded === first.recorded);
	return isClear ? { recorded: first.recorded, field: first.field } : undefined;
}

function kindOf(name: string, around: string): Kind | undefined {
	const isOfRecording = ['recording', 'callrecording'].includes(plainName(around));
	return (
		KINDS.get(plainName(isOfRecording ? `recording${name}` : name)) ?? KINDS.get(plainName(name))
	);
}

/** In a list, it may be about a part of the call. It counts only if nothing else does. */
function outside(hits: Field[]): Field[] {
	const notInList = hits.filter(({ isInList }) => !isInList);
	return notInList.length > 0 ? notInList : hits;
}

function said({ name, around, value }: Field, payload: unknown): boolean | undefined {
	const word = plainName(String(value));
	const answer = YES.includes(word) ? true : NO.includes(word) ? false : undefined;
	switch (kindOf(name, around)) {
		case 'statement':
			return answer;
		case 'presence':
			return answer || undefined;
		case 'request':
			return answer === true ? hasTalked(payload) || undefined : answer;
		case 'status':
			return STATUS_YES.includes(word) ? true : STATUS_NO.includes(word) ? false : undefined;
		default:
			return isFilled(value) || undefined;
	}
}

/** Whether a payload shows that the call was answered. */
function hasTalked(payload: unknown): boolean {
	const { hits } = searchFields(payload, () => true);
	return outside(hits).some(({ name, value }) => {
		const plain = plainName(name);
		if (DURATIONS.includes(plain)) return Number(value) > 0;
		if (ANSWERED.includes(plain)) return YES.includes(plainName(String(value)));
		return CALL_STATUSES.includes(plain) && TALKED.includes(plainName(String(value)));
	});
}

/** Whether there is an address or a name, and not a word that stands for none. */
function isFilled(value: unknown): boolean {
	if (Array.isArray(value)) return value.some(isFilled);
	if (typeof value === 'number') return value > 0;
	return typeof value === 'string' && /\d/.test(value) && value.trim() !== '0';
}
