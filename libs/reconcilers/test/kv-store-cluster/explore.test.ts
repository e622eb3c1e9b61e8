import { searchShare } from '../search/share.ts';
import { kvStoreScenarios, laterStoreScenarios } from './scenarios.ts';

searchShare([...kvStoreScenarios, ...laterStoreScenarios], { histories: 13 });
