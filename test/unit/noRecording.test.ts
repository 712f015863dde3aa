import type { IExecuteFunctions } from 'n8n-workflow';

import type { Reason } from '../../nodes/errors';
import { VoiceAgentError } from '../../nodes/errors';
import {
	aboutRecording,
	isAbsent,
	noRecordingItem,
} from '../../nodes/VoiceAgent/recording/noRecording';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** A node that runs with this item. */
const withItem = (json: object | undefined) =>
	({
		getInputData: () => (json === undefined ? [] : [{ json }]),
		getTimezone: () => 'UTC',
	}) as unknown as IExecuteFunctions;

test.each([
	['recordingGone', true],
	['recordingNotReady', false],
	['stillListed', false],
	['unauthorized', false],
] as Array<[Reason, boolean]>)('%s says that there is no recording: %s', (reason, expected) => {
	expect(isAbsent(new VoiceAgentError(reason))).toBe(expected);
	expect(isAbsent({ reason })).toBe(false);
});

describe('the error of a recording', () => {
	const added = (reason: Reason, json: object | undefined) => {
		const { fullText } = new VoiceAgentError(reason);
		const told = aboutRecording(withItem(json), 0, GUID, new VoiceAgentError(reason));
		return (told as VoiceAgentError).fullText.slice(fullText.length);
	};
	const named = ` The recording is ${GUID}.`;

	test('names it', () => {
		expect(added('unauthorized', {})).toBe(named);
		expect(added('unauthorized', undefined)).toBe(named);
		expect(added('unauthorized', { retentionEndsAt: null })).toBe(named);
	});

	test('says until when it is kept, if the item says so and it is there', () => {
		const retentionEndsAt = '2026-11-21T12:00:00.000Z';
		const kept = ` The service keeps the recording ${GUID} until ${retentionEndsAt}.`;
		expect(added('unauthorized', { retentionEndsAt })).toBe(kept);
		expect(added('recordingGone', { retentionEndsAt })).toBe(named);
	});

	test('of another kind stays as it is', () => {
		const error = new TypeError('x');
		expect(aboutRecording(withItem({}), 0, GUID, error)).toBe(error);
	});
});

test('the item for No Recording has a pattern for all its files, and the name of its metadata', () => {
	const error = new VoiceAgentError('recordingGone');
	const braced = `{${GUID.toUpperCase()}}`;
	const template = 'calls/{format}/{name}.{extension}';
	const item = noRecordingItem(withItem({}), 3, braced, error, template);
	expect(item).toEqual({
		json: {
			sessionGuid: braced,
			fileName: `*${GUID}*`,
			metadataFile: `calls/json/${GUID}.json`,
			reason: 'recordingGone',
			message: error.message,
		},
		pairedItem: { item: 3 },
	});
});
