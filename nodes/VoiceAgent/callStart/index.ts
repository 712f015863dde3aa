import type { ResourceDescription } from '../../fields/resource';

export const resource: ResourceDescription = {
	name: 'Call Start',
	value: 'callStart',
	description: 'The webhook at the start of a call. Your answer turns recording on.',
	defaultOperation: 'respond',
};

export { respond } from './respond.operation';
