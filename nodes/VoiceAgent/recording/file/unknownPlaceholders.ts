import type { IExecuteFunctions } from 'n8n-workflow';

import { oncePerInput } from '../archive/oncePerInput';

const saidUnknown = oncePerInput(() => new Set<string>());

/**
 * Says below the output which placeholders of a file name had no value: one may be misspelled. Many
 * items without the same value are one hint.
 *
 * @param placeholders without braces
 */
export function sayIfUnknown(context: IExecuteFunctions, placeholders: readonly string[]): void {
	const said = saidUnknown(context);
	for (const placeholder of placeholders) {
		if (said.has(placeholder)) continue;
		said.add(placeholder);
		const message = `A file name has "unknown" for {${placeholder}}, because nothing of this name is known about the call. If it is misspelled, correct 'Output File Name'.`;
		context.addExecutionHints({ type: 'info', location: 'outputPane', message });
	}
}
