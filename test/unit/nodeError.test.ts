import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { invalid, VoiceAgentError } from '../../nodes/errors';
import { activationError, nodeError } from '../../nodes/nodeError';

const node = { name: 'VoiceAgent', type: 'voiceAgent', typeVersion: 1 } as INode;

describe('an error as n8n shows it', () => {
	test('with the status of an answer', () => {
		const own = new VoiceAgentError('unauthorized', { httpStatus: 401, hint: 'So it says.' });
		const error = nodeError(node, own, 3);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({
			message: own.message,
			description: own.description,
			httpCode: '401',
			context: { itemIndex: 3 },
		});
		expect(error.description).toMatch(/So it says\.$/);
	});

	test('without a status, of an item', () => {
		const own = new VoiceAgentError('timedOut');
		const error = nodeError(node, own, 3);
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({
			message: own.message,
			description: own.description,
			context: { itemIndex: 3 },
		});
	});

	test('of the node', () => {
		const own = new VoiceAgentError('timedOut');
		const error = nodeError(node, own);
		expect(error).toMatchObject({ message: own.message, description: own.description });
		expect(error.context.itemIndex).toBeUndefined();
		expect(nodeError(node, own, 0).context.itemIndex).toBe(0);
		// n8n stores the cause too.
		expect(error.cause).not.toBeInstanceOf(VoiceAgentError);
	});

	test('that is not ours', () => {
		const own = new Error('disk full');
		const error = nodeError(node, own, 2);
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error).toMatchObject({ message: 'disk full', context: { itemIndex: 2 } });
		expect(error.cause).toBe(own);
	});

	test('of a workflow that cannot be activated: in one text', () => {
		const own = new VoiceAgentError('invalidApiKey');
		expect(activationError(node, own).message).toBe(`${own.message}. ${own.description}`);
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
		expect(new VoiceAgentError('tooLarge', { hint: 'Or not.' }).description).toBe(
			`${description} Or not.`,
		);
		expect(new VoiceAgentError('tooLarge').withHint('Or not.').description).toBe(
			`${description} Or not.`,
		);
	});
});
