// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.web;

public interface WebPort {

}
