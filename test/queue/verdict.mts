/** Judges what was archived in queue mode as a soak is judged, and whether the sweep did what the killed worker did not. */
import { judge, type Check, type Verdict } from '../soak/verdict.mts';
import type { QueueResult } from './run.mts';

export function judgeQueue(result: QueueResult): Verdict {
	const verdict = judge(result);
	const { sessionGuid, execution } = result.cutOff;
	const writers = result.files
		.filter(({ name }) => name.includes(sessionGuid))
		.map(({ name }) => result.executions.find(({ id }) => id === result.writers.get(name)));
	const isBySweep = writers.some(
		(writer) => writer && writer.id !== execution && writer.mode !== 'webhook',
	);
	const picked: Check = {
		what: 'The sweep has archived what the killed worker had begun',
		faults: isBySweep ? [] : [`${sessionGuid}, execution ${execution}`],
		notes: [],
	};
	const checks = [...verdict.checks, picked];
	const { plan, webhooksTaken, seconds } = result;
	const figures = [
		`${plan.calls.length} calls ended; n8n has taken ${webhooksTaken} webhooks; it took ${seconds} s`,
	];
	return { figures, checks, isGood: checks.every(({ faults }) => faults.length === 0) };
}
