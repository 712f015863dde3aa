import type { Keyring } from '../auth/auth.mts';
import type { Calls } from '../calls/calls.mts';
import type { Clock } from '../clock.mts';
import type { Faults } from '../faults/faults.mts';
import type { Log } from '../logs/log.mts';
import type { RequestLog } from '../logs/requestLog.mts';
import type { EmulatorOptions } from '../options.mts';
import type { Recordings } from '../recordings/recordings.mts';
import type { ShapeBoard } from '../profile/board.mts';
import type { Store } from '../store.mts';
import type { Webhooks } from '../webhooks/webhooks.mts';

/** What an emulator is made of. */
export interface Parts {
	store: Store;
	clock: Clock;
	log: Log;
	recordings: Recordings;
	webhooks: Webhooks;
	shapes: ShapeBoard;
	faults: Faults;
	keyring: Keyring;
	calls: Calls;
	requestLog: RequestLog;
	/** As it was started. */
	options: EmulatorOptions;
	/** The authority that signed the HTTPS certificate, PEM, if there is one. */
	caPem: string | undefined;
}
