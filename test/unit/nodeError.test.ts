import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError, WebhookPathTakenError } from 'n8n-workflow';

import { invalid, VoiceAgentError } from '../../nodes/errors';
import { activationError, nodeError } from '../../nodes/nodeError';

const node = { name: 'VoiceAgent', type: 'voiceAgent', typeVersion: 1 } as INode;

describe('an error as n8n shows it', () => {
	test.each([
		['with the status of an answer', { httpStatus: 401 }, 3, NodeApiError],
		['without a status', {}, 0, NodeOperationError],
		['of the node', {}, undefined, NodeOperationError],
	])('%s has the text, the item and the class that n8n expects', (_name, more, itemIndex, type) => {
		const own = new VoiceAgentError('timedOut', { ...more, hint: 'So it says.' });
		const error = nodeError(node, own, itemIndex);
		expect(error).toBeInstanceOf(type);
		expect(error).toMatchObject({ message: own.message, description: own.description });
		expect(error.description).toMatch(/So it says\.$/);
		expect(error.context.itemIndex).toBe(itemIndex);
		if ('httpStatus' in more) expect(error).toMatchObject({ httpCode: '401' });
		// n8n stores the cause too.
		expect(error.cause).not.toBeInstanceOf(VoiceAgentError);
	});

	test.each([{ httpStatus: 422 }, {}])('of a tool gives the model the whole text: %j', (more) => {
		const hint = "The service says: 'phone' is missing. (ECONNRESET)";
		const own = new VoiceAgentError('rejected', { ...more, hint });
		const error = nodeError({ ...node, type: 'voiceAgentTool' }, own, 1);
		expect(error.message).toBe(`The service rejected the request. ${own.description}`);
		expect(error.message).toContain(hint);
		expect(error.context.itemIndex).toBe(1);
		// So does n8n with the error of a tool, and the text must outlast it.
		expect(new NodeOperationError(node, error).message).toBe(error.message);
	});

	test('that is not ours keeps its text and its cause', () => {
		const own = new Error('disk full');
		const error = nodeError(node, own, 2);
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({ message: 'disk full', context: { itemIndex: 2 } });
		expect(error.cause).toBe(own);
	});

	test('of a workflow that cannot be activated has message and description in one text', () => {
		const own = new VoiceAgentError('invalidApiKey');
		expect(activationError(node, own).message).toBe(`${own.message}. ${own.description}`);
		// n8n tries again after any other one.
		expect(activationError(node, own)).toBeInstanceOf(WebhookPathTakenError);
		expect(activationError(node, new Error('disk full')).message).toBe('disk full');
	});
});

describe('our errors', () => {
	test('what a parameter must be begins with a capital letter', () => {
		expect(invalid('the value is empty').message).toBe('The value is empty');
		expect(new VoiceAgentError('invalidParameter').message).not.toBe('');
	});

	test('a hint follows what to do', () => {
		const { description } = new VoiceAgentError('tooLarge');
		expect(new VoiceAgentError('tooLarge').withHint('Or not.').description).toBe(
			`${description} Or not.`,
		);
	});
});
