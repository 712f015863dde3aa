import { runEntries } from './runEntries.mts';
import { installation } from './tables/installation.mts';

runEntries(installation);
