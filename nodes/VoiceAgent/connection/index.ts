import type { ResourceDescription } from '../../fields/resource';

export const resource: ResourceDescription = {
	name: 'Connection',
	value: 'connection',
	description: 'The connection to the service',
	defaultOperation: 'check',
};

export { check } from './check.operation';
