import type { ResourceDescription } from '../../fields/resource';

export const resource: ResourceDescription = {
	name: 'Call',
	value: 'call',
	description: 'An outbound call by the voice agent',
	defaultOperation: 'make',
};

export { checkNumbers } from './checkNumbers.operation';
export { make } from './make.operation';
