import type { Resource } from '../../fields/resource';
import { make } from './make.operation';

export const call: Resource = {
	name: 'Call',
	value: 'call',
	description: 'An outbound call by the voice agent',
	operations: [make],
	defaultOperation: 'make',
};
