/**
 * The VoiceAgent Trigger. All suites share one n8n. Each has workflows of its own, so they run side
 * by side. Those that read everything that n8n prints or stores come afterwards.
 */
import { suite } from 'node:test';

import { startStack } from '../../harness/stack.mts';
import { shared } from './suite.mts';
import { callEndSuite } from './trigger/callEnd.mts';
import { fieldCallStartsSuite } from './trigger/fieldCallStarts.mts';
import {
	lateAnswerTest,
	refusedPublicationTest,
	respondOperationSuite,
} from './trigger/respondOperation.mts';
import { secretsTest } from './trigger/secrets.mts';
import { webhookShapesSuite } from './trigger/webhookShapes.mts';

suite('VoiceAgent Trigger', { concurrency: 1 }, () => {
	let printed = '';
	const log = () => printed;
	const n8n = {
		// With one proxy in front, X-Forwarded-For holds the address of the sender.
		env: { N8N_PROXY_HOPS: '1' },
		log: (line: string) => void (printed += `${line}\n`),
	};
	const stack = shared(async () => await startStack({ n8n }));
	const getStack = () => stack;

	suite('side by side', { concurrency: true }, () => {
		callEndSuite(getStack);
		webhookShapesSuite(getStack);
		respondOperationSuite(getStack);
		fieldCallStartsSuite(getStack);
	});
	refusedPublicationTest(getStack);
	lateAnswerTest(getStack, log);
	secretsTest(getStack, log);
});
