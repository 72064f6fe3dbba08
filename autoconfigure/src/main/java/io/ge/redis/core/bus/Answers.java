/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.bus;

import java.util.Map;
import java.util.Set;

/**
 * The answers of all instances to a question.
 *
 * @param texts the answers by the id of the instance, the one that has asked included
 * @param silent the instances that are known and have not answered in time
 */
record Answers(Map<String, String> texts, Set<String> silent) {
}
