import { searchShare } from '../search/share.ts';
import { kvStoreScenarios } from './scenarios.ts';

searchShare(kvStoreScenarios, { histories: 13 });
