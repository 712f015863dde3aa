import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Finds something out once for all input items of a run of this node.
 *
 * @param find depends on the run of the node only, not on the item that is processed
 */
export function oncePerInput<T>(
	find: (context: IExecuteFunctions) => T,
): (context: IExecuteFunctions) => T {
	// Each run of a node has an input of its own. What was found goes with that input.
	const byInput = new WeakMap<object, { found: T }>();
	return (context) => {
		const input = context.getInputData();
		const known = byInput.get(input);
		if (known) return known.found;
		const found = find(context);
		byInput.set(input, { found });
		return found;
	};
}
