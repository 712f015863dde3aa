import { ServiceError } from '../errors.mts';
import type { Seen } from '../profile/profile.mts';
import { requireValid } from '../validation.mts';
import { type Preset, presets, type SwitchOff } from './presets.mts';
import { DeliveryOptions } from './schemas.mts';
import type { WebhookEvent } from './targets.mts';

const defaults: Required<DeliveryOptions> = {
	preset: null,
	retries: 0,
	retryDelayMs: 1000,
	copies: 1,
	delayMs: 0,
	reorder: 1,
	reorderWaitMs: 1000,
	secret: null,
	signing: null,
};

/** A pause before a retry, in real time or in that of the emulated calls. */
interface Pause {
	ms: number;
	time: 'real' | 'emulated';
}

/**
 * Checks options that may come from outside TypeScript.
 *
 * @throws ServiceError 400 that names the fields
 */
export function requireDeliveryOptions(options: unknown, label?: string): void {
	requireValid(DeliveryOptions, options, label);
	const { preset, retries } = options as DeliveryOptions;
	if (!preset || !retries) return;
	const message = `retries cannot be combined with a preset, because ${preset} has its own`;
	throw new ServiceError(400, 'invalid_request', message, ['retries']);
}

/**
 * Checks that webhooks can be signed as a profile shows it.
 *
 * @throws ServiceError 400
 */
export function requireSeenSignature(
	{ signing }: DeliveryOptions,
	seen: Pick<Seen, 'hasSignature'> | undefined,
): void {
	if (signing?.scheme !== 'profile' || seen?.hasSignature) return;
	const message =
		'signing has the scheme "profile", and no profile shows how webhooks are signed: choose another scheme, or explore with the headers of a webhook and the webhook secret';
	throw new ServiceError(400, 'invalid_request', message, ['signing']);
}

/** How webhooks are delivered. */
export class DeliverySettings {
	#options = { ...defaults };

	all(): Required<DeliveryOptions> {
		return { ...this.#options };
	}

	/** An omitted option stays as it is. Retries replace a preset, and a preset replaces retries. */
	set(change: DeliveryOptions): void {
		const given = Object.entries(change).filter(([, value]) => value !== undefined);
		const replaced = change.preset ? { retries: 0 } : change.retries ? { preset: null } : {};
		this.#options = {
			...this.#options,
			...replaced,
			...(Object.fromEntries(given) as DeliveryOptions),
		};
	}

	reset(): void {
		this.#options = { ...defaults };
	}

	/**
	 * The pauses before the retries of an event. A preset has none for CallStart, because no call
	 * waits for hours until it is told what to do.
	 */
	pausesFor(event: WebhookEvent): Pause[] {
		const { retries, retryDelayMs } = this.#options;
		const preset = this.#preset();
		if (!preset) return Array.from({ length: retries }, () => ({ ms: retryDelayMs, time: 'real' }));
		if (event === 'CallStart') return [];
		return preset.pausesMs.map((ms) => ({ ms, time: 'emulated' }));
	}

	get switchOff(): SwitchOff | undefined {
		return this.#preset()?.switchOff;
	}

	#preset(): Preset | undefined {
		const { preset } = this.#options;
		return preset ? presets[preset] : undefined;
	}
}
