/** The package is the root of its repository. */
import { posix } from 'node:path';

import type { PortedRule } from './rule.mts';

export interface Manifest {
	repository?: { directory?: string };
}

export const noMonorepo: PortedRule<Manifest> = {
	name: 'no-monorepo',
	level: 'error',
	document: 'b2cb311b6a615997d4289f09b5981056a76152de',
	demand: 'Leave out repository.directory in package.json.',
	problems({ repository }) {
		const directory = repository?.directory ?? '.';
		return posix.join(directory, '/') === './' ? [] : [directory];
	},
	correct: [{}, { repository: {} }, { repository: { directory: './' } }],
	incorrect: [{ repository: { directory: 'packages/n8n-nodes-example' } }],
};
