import type { JsonObject } from '../../nodes/data/json';
import { callNumbersIn, callNumbersOfItem } from '../../nodes/service/callNumbers';

const TO = '+15550100';
const FROM = '+15550199';

test.each([
	['as the emulator has them', { to: TO, from: FROM, direction: 'outbound' }],
	['Twilio', { CallSid: 'CA1', To: TO, From: FROM, Called: TO, Direction: 'outbound-api' }],
	['Retell', { call: { to_number: TO, from_number: FROM, direction: 'outbound' } }],
	['Telnyx', { data: { payload: { to: TO, from: FROM, direction: 'outgoing' } } }],
	['FreeSWITCH', { destination_number: TO, caller_id_number: FROM, direction: 'outbound' }],
	['Asterisk', { caller: { number: FROM }, dialed: { number: TO }, direction: 'out' }],
	['objects', { to: { phoneNumber: TO }, from: { phone_number: FROM }, direction: 'Outbound' }],
	['addresses', { to: `sip:${TO}@example.com`, from: `tel:${FROM}`, call_direction: 'out' }],
	['a spelling with hyphens', { 'to-number': TO, 'from-number': FROM, direction: 'outgoing' }],
])('numbers are found: %s', (_name, record) => {
	expect(callNumbersIn(record)).toEqual({ to: TO, from: FROM, direction: 'outbound' });
});

test.each([
	['nothing', {}],
	['text', 'to +15550100'],
	['a period', { from: '2026-01-01', to: '2026-02-01' }],
	['names of people', { to: 'Ada', from: 'anonymous' }],
	['a list of participants', { participants: [{ to: TO, from: FROM }] }],
	['two different ones', { to: TO, called: '+15550101', from: FROM, caller: '+15550102' }],
	['none', { to: null, from: '', direction: 7 }],
	['too many digits', { to: '1234567890123456' }],
])('no number is clear: %s', (_name, record) => {
	expect(callNumbersIn(record)).toEqual({ to: null, from: null, direction: null });
});

test('the outermost counts, such as before a transfer', () => {
	const record = { to: TO, from: FROM, transfer: { to: '+15550102', from: TO } };
	expect(callNumbersIn(record)).toMatchObject({ to: TO, from: FROM });
});

test('one number in two spellings is clear', () => {
	expect(callNumbersIn({ to: '+1 555-0100', called: TO })).toMatchObject({ to: '+1 555-0100' });
});

test('a number without a side is the one that was called, unless somebody called us', () => {
	expect(callNumbersIn({ phoneNumber: TO })).toMatchObject({ to: TO, from: null });
	expect(callNumbersIn({ phoneNumber: TO, to: FROM })).toMatchObject({ to: FROM });
	const inbound = { phoneNumber: TO, direction: 'inbound' };
	expect(callNumbersIn(inbound)).toEqual({ to: null, from: null, direction: 'inbound' });
});

test('fields that the user names count, and nothing else', () => {
	const fields = { calledNumberField: 'a.b', callerNumberField: 'c' };
	const record = { to: '+15550103', a: { b: TO }, c: 15550199 };
	expect(callNumbersIn(record, fields)).toMatchObject({ to: TO, from: '15550199' });
	const none = callNumbersIn({ to: TO, from: FROM }, fields);
	expect(none).toMatchObject({ to: null, from: null });
});

test('what a node of this package has put into an item counts, also that a number is not clear', () => {
	const payload = { to: TO, from: FROM };
	const ours = { to: null, from: FROM, direction: null, payload };
	const fields = { calledNumberField: '', callerNumberField: '' };
	const numbersOf = (item: JsonObject) => callNumbersOfItem(item, fields);
	expect(numbersOf(ours)).toEqual({ to: null, from: FROM });
	expect(numbersOf({ payload })).toEqual({ to: TO, from: FROM });
	expect(numbersOf({ to: 7, from: FROM, payload })).toEqual({ to: TO, from: FROM });
	// The named fields are those of what the service sent, which our nodes have read already.
	const named = { calledNumberField: 'payload.from', callerNumberField: 'payload.to' };
	expect(callNumbersOfItem(ours, named)).toEqual({ to: null, from: FROM });
});

test.each([
	['a record of the list', { call: { x: TO }, y: FROM }, { to: TO, from: FROM }],
	["the output of n8n's Webhook", { body: { call: { x: TO }, y: FROM } }, { to: TO, from: FROM }],
	['usual names beside', { to: '+15550103', body: { call: { x: TO } } }, { to: TO, from: null }],
	['the field twice', { call: { x: TO }, body: { call: { x: FROM } } }, { to: null, from: null }],
	['the field too deep', { a: { b: { call: { x: TO } } } }, { to: null, from: null }],
	['a list', { body: [{ call: { x: TO }, y: FROM }] }, { to: null, from: null }],
])('fields that the user names are found behind other nodes: %s', (_name, item, expected) => {
	const named = { calledNumberField: 'call.x', callerNumberField: 'y' };
	expect(callNumbersOfItem(item, named)).toEqual(expected);
});
