import { recordedSign } from '../../nodes/service/recordedSign';

const URL = 'https://api.example.com/recordings/RE1.mp3';

test.each([
	['as the emulator has it', { recorded: true }, 'recorded'],
	[
		'nested',
		{ data: { call: { attributes: { isRecorded: true } } } },
		'data.call.attributes.isRecorded',
	],
	['PascalCase', { WasRecorded: 'True' }, 'WasRecorded'],
	['a form', { has_recording: '1' }, 'has_recording'],
	['Twilio', { CallSid: 'CA1', RecordingStatus: 'completed' }, 'RecordingStatus'],
	['Twilio, still processing', { recording_status: 'in-progress' }, 'recording_status'],
	['Amazon Connect', { Recording: { Status: 'AVAILABLE', Location: '' } }, 'Recording.Status'],
	['Retell', { call: { recording_url: URL } }, 'call.recording_url'],
	['Vonage', { recording_uuid: 'aaaaaaaa-bbbb-4ccc' }, 'recording_uuid'],
	['Telnyx', { recording_urls: { mp3: URL }, recordingUrls: [URL] }, 'recordingUrls'],
	['a request, and a talk', { recordCall: true, durationSeconds: 3 }, 'recordCall'],
	['a request, and an answer', { recordCall: 'yes', status: 'completed' }, 'recordCall'],
	['a list with one event', { events: [{ recorded: true }] }, 'events.recorded'],
])('a call was recorded: %s', (_name, payload, field) => {
	expect(recordedSign(payload)).toEqual({ recorded: true, field });
});

test.each([
	['as the emulator has it', { recorded: false }, 'recorded'],
	['a form', { Recorded: 'no' }, 'Recorded'],
	['a request', { recordCall: false, durationSeconds: 3 }, 'recordCall'],
	['Twilio', { RecordingStatus: 'absent' }, 'RecordingStatus'],
	['Zoom Phone', { recording_status: 'non_recorded' }, 'recording_status'],
	['with an address that is always there', { recorded: false, recordingUrl: URL }, 'recorded'],
	['the outermost', { recorded: false, earlier: { recorded: true } }, 'recorded'],
])('a call was not recorded: %s', (_name, payload, field) => {
	expect(recordedSign(payload)).toEqual({ recorded: false, field });
});

test.each([
	['nothing', {}],
	['no object', 'recorded'],
	['nothing about it', { event: 'CallEnd', durationSeconds: 3, status: 'completed' }],
	['no address yet', { recording_url: '', recordingId: null, recordingSid: 0 }],
	['no address, in words', { recordingUrl: 'none' }],
	['not available yet', { recordingAvailable: false, hasRecording: 'false', recordingReady: 0 }],
	['a contradiction', { recorded: true, recordingStatus: 'absent' }],
	['events that differ', { events: [{ recorded: true }, { recorded: false }] }],
	['another word', { recorded: 'maybe', recordingStatus: 'failed' }],
	['a deleted one', { recordingStatus: 'deleted' }],
	['a value that is no answer', { recorded: null, isRecorded: {}, wasRecorded: [] }],
	['a request, and nobody answered', { recordCall: true, durationSeconds: 0, status: 'no-answer' }],
	['a request, and nothing more', { recordCall: true }],
])('nothing says clearly whether a call was recorded: %s', (_name, payload) => {
	expect(recordedSign(payload)).toBeUndefined();
});
