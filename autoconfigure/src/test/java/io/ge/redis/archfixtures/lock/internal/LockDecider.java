// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.lock.internal;

public class LockDecider {

}
