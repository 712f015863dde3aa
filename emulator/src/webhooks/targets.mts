import type { SwitchOff } from './presets.mts';
import type { Delivery, WebhookTargets } from './schemas.mts';

export type WebhookEvent = Delivery['event'];

const fieldOf = { CallStart: 'callStart', CallEnd: 'callEnd' } as const;

interface History {
	/** Failed attempts since the last success. */
	failures: number;
	/** When it last succeeded, in milliseconds since 1970-01-01 UTC. */
	succeededAt: number | undefined;
}

/** Where webhooks go, and whether they arrive there. */
export class Targets {
	readonly #urls: Required<WebhookTargets> = { callStart: null, callEnd: null };
	readonly #histories = new Map<WebhookEvent, History>();

	all(): Required<WebhookTargets> {
		return { ...this.#urls };
	}

	urlOf(event: WebhookEvent): string | null {
		return this.#urls[fieldOf[event]];
	}

	/** A target that is set begins anew, also if it stays the same. An omitted one stays as it is. */
	set(urls: WebhookTargets): void {
		for (const event of ['CallStart', 'CallEnd'] as const) {
			const url = urls[fieldOf[event]];
			if (url === undefined) continue;
			this.#urls[fieldOf[event]] = url;
			this.#histories.delete(event);
		}
	}

	/**
	 * Notes how an attempt went, and switches the webhook off if the sender does so now.
	 *
	 * @returns whether it has been switched off by this attempt
	 */
	note(event: WebhookEvent, hasFailed: boolean, now: number, rule?: SwitchOff): boolean {
		const { failures, succeededAt } = this.#histories.get(event) ?? {
			failures: 0,
			succeededAt: undefined,
		};
		const history = hasFailed
			? { failures: failures + 1, succeededAt }
			: { failures: 0, succeededAt: now };
		this.#histories.set(event, history);
		if (!rule || !hasFailed || history.failures < rule.failures) return false;
		if (succeededAt !== undefined && now - succeededAt <= rule.quietMs) return false;
		if (this.urlOf(event) === null) return false;
		this.set({ [fieldOf[event]]: null });
		return true;
	}
}
