import { runEntries } from './runEntries.mts';
import { contributing } from './tables/contributing.mts';

runEntries(contributing);
